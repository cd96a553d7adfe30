package main

import (
	"example.com/shop/handlers"
	"github.com/gin-gonic/gin"
)

func main() {
	r := gin.Default()
	r.GET("/ping", func(c *gin.Context) { c.JSON(200, gin.H{"message": "pong"}) })
	api := r.Group("/api")
	v1 := api.Group("/v1", authenticate)
	handlers.Register(v1.Group("/articles"))
	users := handlers.NewUsers(nil)
	users.Mount(v1)
	{
		v1.POST("/login", authenticate, users.Login)
		v1.Any("/echo", echo)
		v1.Handle("PATCH", "/echo/:id", echo)
	}
	r.Run()
}

func authenticate(c *gin.Context) {
	c.Get("user")
}

func echo(c *gin.Context) {}
