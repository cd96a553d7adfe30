package handlers

import "github.com/gin-gonic/gin"

// Users handles requests about users.
type Users struct{ db any }

// NewUsers returns the handlers of users.
func NewUsers(db any) *Users { return &Users{db: db} }

// Mount adds the routes of users.
func (u *Users) Mount(group *gin.RouterGroup) {
	users := group.Group("/users")
	users.GET("", u.List)
	users.PUT("/:id", u.Update)
}

// Register adds the routes of articles.
func Register(router *gin.RouterGroup) {
	router.GET("/", list)
	router.GET("/:slug", show)
	router.DELETE("/:slug/comments/*rest", remove)
}

func (u *Users) List(c *gin.Context)   {}
func (u *Users) Update(c *gin.Context) {}
func (u *Users) Login(c *gin.Context)  {}

func list(c *gin.Context)   {}
func show(c *gin.Context)   {}
func remove(c *gin.Context) {}
